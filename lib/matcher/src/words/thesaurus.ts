/**
 * Words of columns and what they say in English. General vocabulary of business, places and measuring: the abbreviations and the
 * German, French, Spanish, Italian and Dutch words that a person who names tables reaches for.
 */
const ABBREVIATIONS = `
acct=account addr=address agg=aggregate amt=amount app=application appr=approved approx=approximate aqi=air+quality+index art=kind
attr=attribute auth=authorization avail=available avg=average bal=balance batt=battery beg=begin bldg=building cat=category ccy=currency
cd=code cfg=configuration chg=change cmt=comment cnt=count co=company coord=coordinate cr=credit ctry=country ctr=center cur=current curr=currency
cust=customer dept=department desc=description dest=destination dev=device dim=dimension dir=direction disc=discount dist=distance dob=birth+date
doc=document dr=debit dt=date dur=duration ean=gtin eff=efficiency emp=employee eq=equipment err=error est=estimated evt=event exp=export
ext=external fact=factor fax=fax fk=id freq=frequency fw=firmware gps=position grp=group hr=hour hum=humidity hw=hardware img=image imp=import
ind=indicator inv=invoice ip=ip+address kpi=indicator lang=language lat=latitude len=length lng=longitude loc=location lon=longitude lvl=level
mac=mac+address max=maximum mfg=manufacturer mfr=manufacturer mgr=manager min=minimum mob=mobile msg=message mth=month nat=national nbr=number
nb=number no=number nom=nominal nr=number nxt=next num=number obj=object obs=observed occ=occupancy odo=odometer op=operator opt=option ord=order
org=organization orig=origin os=operating+system pct=percent pers=person pf=power+factor ph=ph phone=phone pk=id pmt=payment pos=position pr=price
prec=precipitation precip=precipitation press=pressure prev=previous prio=priority prod=product proj=project prov=province pwr=power qty=quantity
qual=quality rec=record ref=ref reg=registration rel=relative req=required rh=relative+humidity rpt=report seg=segment seq=sequence ser=serial
sn=serial+number soc=charge+percent spd=speed spec=specification src=source st=street stat=status std=standard subj=subject sum=total svc=service
tel=phone temp=temperature term=termination thd=thd tot=total trans=transaction trx=transaction ts=timestamp turb=turbidity tx=transaction txn=transaction
typ=kind uid=id uom=unit upd=updated url=url usr=user util=utilization uuid=id guid=id val=value vat=tax veh=vehicle vel=speed ver=version
vin=vehicle+identification+number vol=volume wgt=weight wt=weight yr=year zip=postal+code
`;
/** Units say what is measured. */
const UNITS = `
kg=weight+kg km=distance+km kmh=speed mph=speed hz=frequency hpa=pressure volt=voltage volts=voltage amp=ampere amps=ampere watt=power watts=power
kw=power kwh=energy lux=illuminance litre=capacity litres=capacity liter=capacity liters=capacity hectare=area hectares=area dbm=rssi db=noise
minute=duration minutes=duration mbar=pressure celsius=temperature
`;
const GERMAN = `
abteilung=department adresse=address aktiv=active alter=age am=date an=to anfang=start angelegt=created ankunft=arrival anlage=installation anrede=salutation anschrift=address
anzahl=number art=kind aufgabe=task auftrag=order ausgang=output austritt=left bank=bank batterie=battery akku=battery bearbeiter=assignee beginn=start
behaelter=bin bemerkung=note beruf=job beschreibung=description besitzer=owner eigentuemer=owner bestellung=order betrag=amount betreff=subject
bezeichnung=title bild=image breite=width brutto=gross buchung=booking datei=file datum=date dauer=duration ebene=level einbau=installed eingang=input
einheit=unit eintritt=hired email=email ende=end entfernung=distance ergebnis=result erstellt=created erstzulassung=first+registered faellig=due fahrer=driver
fahrgestell=vehicle+identification fahrt=trip fahrzeug=vehicle farbe=color fehler=error feuchte=humidity firma=company flaeche=area frist=deadline
fuell=filling fuellstand=filling+level geaendert=modified gebaeude=building geburt=birth geburts=birth gehalt=salary gemeinde=municipality geraet=device geraete=device gesamt=total geschlecht=sex
geschwindigkeit=speed gesundheit=health gewicht=weight groesse=size gruppe=group haben=credit haltestelle=stop haus=house hersteller=manufacturer
herstellung=manufactured hoehe=height inhalt=content jahr=year kauf=purchase kategorie=category kennung=id kennzeichen=license+plate kilometer=odometer
klasse=class konto=account kosten=cost kraftstoff=fuel kuendigung=notice kunde=customer kunden=customer laenge=length land=country last=load leerung=emptying
leistung=power letzte=last letzter=last letztes=last lieferant=supplier lieferung=shipment luft=air menge=quantity mess=observed messung=measurement miete=rent mitarbeiter=employee
monat=month muell=waste abfall=waste nachname=family+name vorname=given+name name=name netto=net niederschlag=precipitation nummer=number oeffnung=opening ort=city
parkplatz=parking person=person plz=postal+code preis=price rabatt=discount rasse=breed rechnung=invoice reinigung=cleaning richtung=direction
schaden=damage schnee=snow seite=page sendung=shipment serien=serial serie=serial sicht=visibility sichtweite=visibility soll=debit spannung=voltage sprache=language
staerke=strength stand=level standort=site status=status stelle=job stellen=job steuer=tax strasse=street strom=electricity stunde=hour tag=day tage=day
tau=dew punkt=point telefon=phone temperatur=temperature text=text tier=animal titel=title typ=kind uhrzeit=time umsatz=revenue unfall=accident
verbrauch=consumption verfuegbar=available vertrag=contract vertrags=contract vorgesetzter=manager waehrung=currency wasser=water wert=value wetter=weather wind=wind
zahlung=payment zaehler=meter zeit=time zeiten=hour ziel=destination zimmer=room zone=zone zustand=condition druck=pressure
zustaendig=responsible zugewiesen=assigned geloest=resolved gemeldet=reported gesperrt=blocked
`;
const FRENCH = `
adresse=address annee=year artiste=artist benzene=benzene categorie=category chemin=path client=customer commande=order commentaire=comment compte=account
couleur=color courriel=email cree=created debut=start depart=departure description=description devise=currency direction=direction distance=distance
dioxyde=dioxide azote=nitrogen duree=duration employe=employee entreprise=company etat=status facture=invoice ferme=close fermeture=close fiabilite=reliability fin=end
forme=form fournisseur=supplier genre=sex heure=hour hauteur=height image=image jour=day juridique=legal langue=language largeur=width
lieu=place livraison=delivery longueur=length marque=brand mesure=observed mois=month montant=amount musee=museum naissance=birth niveau=level nom=name
nombre=number numero=number organisation=organization ouverture=opening ouvre=open paiement=payment pays=country personne=person plomb=lead poids=weight
prenom=given+name pression=pressure prix=price produit=product proprietaire=owner quantite=quantity raison=name rue=street semaine=week site=site
social=company sociale=company societe=company solde=balance statut=status taille=size taux=rate taxe=tax tva=tax telephone=phone temperature=temperature
titre=title touristique=tourist utilisateur=user valeur=value vehicule=vehicle vent=wind vers=to ville=city vitesse=speed web=website
`;
const SPANISH = `
activo=active alcalinidad=alkalinity alta=start altura=height ancho=width apellido=family+name ano=year bici=bike bicis=bike calle=street cantidad=quantity caudal=flow
ciudad=city cliente=customer codigo=code color=color componente=component concentracion=concentration conductividad=conductivity correo=email cuenta=account
descripcion=description direccion=address disponible=available disponibles=available divisa=currency empleado=employee empresa=company estacion=station
estado=status factura=invoice fecha=date fin=end fluoruro=fluoride grupo=group hora=hour horario=opening+hour hueco=slot huecos=slot idioma=language importe=amount inicio=start
libre=free libres=free lugar=place marca=brand mes=month moneda=currency muestra=observed nacimiento=birth nivel=level nombre=name numero=number
observacion=observed pago=payment pais=country pedido=order peso=weight precio=price presion=pressure producto=product proveedor=provider salinidad=salinity
segmento=segment sexo=sex telefono=phone temperatura=temperature tiempo=time tipo=kind total=total totales=total turbidez=turbidity valor=value vehiculo=vehicle
velocidad=speed viento=wind
`;
const ITALIAN = `
altezza=height apertura=opening azienda=company cliente=customer cognome=family+name colore=color data=date descrizione=description fattura=invoice
fine=end indirizzo=address inizio=start lingua=language livello=level massima=maximum massimo=maximum minimo=minimum nome=name occupati=occupied liberi=free orario=hour ordine=order
peso=weight posti=spot posto=spot prezzo=price prodotto=product proprietario=owner quantita=quantity stato=status tempo=time totali=total totale=total
valuta=currency velocita=speed vento=wind via=street citta=city
`;
const DUTCH = `
aantal=number aangemaakt=created adres=address afdeling=department bedrag=amount bedrijf=company bestelling=order datum=date einde=end factuur=invoice
geboorte=birth gewicht=weight gewijzigd=modified hoogte=height klant=customer kleur=color land=country medewerker=employee melder=reporter naam=name achternaam=family+name
voornaam=given+name omschrijving=description op=at opgelost=resolved plaats=city prijs=price prioriteit=priority snelheid=speed soort=kind straat=street
taal=language telefoon=phone titel=title toegewezen=assignee waarde=value ticket=ticket
`;

/** Words for one thing in one line: the matcher takes them for each other at a discount. */
const SYNONYMS = `
kind type category class group sort species
status state condition
free available vacant open remaining left
total all overall grand gross sum whole
taken occupied used
name title label headline designation
note comment remark description text body summary
image picture photo photograph
url link website page web homepage href site
start from begin beginning opened since first valid
end to until finish ended stop closed close through
manufacturer maker vendor producer make brand
provider operator supplier vendor
owner owned holder proprietor farmer
id key number code identifier ref reference no
color colour
sex gender
spot space slot place bay dock
create created signup recorded
modify modified updated changed
observed measured sampled measurement observation obs recorded
date time timestamp day on at when moment
birth born
speed velocity
direction bearing heading
price cost fee fare
amount value sum total paid
quantity amount count number
phone mobile telephone
weight mass load
car vehicle automobile truck
trip ride journey
driver chauffeur
customer buyer client purchaser
company organization firm enterprise
employee staff worker
job position role occupation
manager supervisor boss
hired hire joined entry
left termination exit
invoice bill
payment transaction transfer
shipment parcel consignment delivery
carrier courier shipper
shipped sent dispatched
delivered arrived received
method type mode way
line position item
product item article good
ticket issue case incident
resolved closed solved done
reporter opened author
assignee assigned responsible
tag label keyword
event happening incident accident
occurred happened
source origin
subject about topic concern
data payload content
actor user agent
purpose reason
emptying emptied empty pickup collection
cleaning washed wash clean
filling fill full
waste garbage trash refuse
bin container
deadline due next
height high tall
width wide
high top upper highest
low bottom lower lowest
floor storey level story
above up over
below down under
people person persons visitor attendee
capacity seat size maximum
dead death killed fatality
injured hurt casualty
passenger rider
pedestrian walker
involved participating
intensity flow count
congested jam congestion
gap distance spacing
gust squall
rain precipitation rainfall
temperature heat
humidity moisture
pressure barometer baro
snow snowfall
depth height
ozone o3
installation installed mounting
mounted installed
use usage used
first initial
last latest recent previous
seen reported
signal rssi strength
charge charging
socket plug connector
station site location
ampere current amperage
voltage tension
power wattage
rating rated nominal
battery accumulator akku
phase phases
noise sound
cooling cooler
irrigation watering
crop plant
growth stage status
land parcel field
area surface
breed race
mother calved dam
father sired sire
feed fed food
located location stall at
wheelchair accessible accessibility
artist performer
free gratis
maximum max most highest
minimum min least lowest
average mean
energy consumption
active real
import in input incoming entrance
export out output outgoing exit
inside indoor occupancy
document documentation manual
position location coordinate gps
address street
postal zip
region state province
given first
family last surname
email mail
language locale lang
segment tier
active enabled
department division
tax vat duty
net netto
discount rebate
currency money
register registration registered
form legal
balance saldo
odometer mileage
fuel gas
license plate
serial sn
legal official
responsible owner
ear tag
`;

function pairs(text: string): [string, string[]][] {
  return text.split(/\s+/).flatMap((entry) => {
    const [word, meaning] = entry.split('=');
    return word && meaning ? [[word, meaning.split('+')] as [string, string[]]] : [];
  });
}

/** What a word is written out as. The first table that has a word counts: translations come before abbreviations of English. */
export const EXPANSIONS: ReadonlyMap<string, string[]> = new Map(
  [DUTCH, ITALIAN, SPANISH, FRENCH, GERMAN, UNITS, ABBREVIATIONS]
    .flatMap(pairs)
    .filter(([word, [first]]) => word !== first),
);

/** The lines of synonyms that a word is in. */
export const GROUPS: ReadonlyMap<string, readonly number[]> = groupsOf(SYNONYMS);

function groupsOf(text: string): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [line, words] of text.trim().split('\n').entries()) {
    for (const word of words.split(' ')) groups.set(word, [...(groups.get(word) ?? []), line]);
  }
  return groups;
}
